"""What the system remembers: the belief, the episode's states and actions, and views of them."""
