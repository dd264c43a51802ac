"""What passes between the parts: frozen dataclasses with the fields of the ROS messages."""
