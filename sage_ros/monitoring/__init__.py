"""The monitor without ROS: admission, expectations, and the gate, a pure state machine."""
