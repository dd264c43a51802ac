"""The ROS side: thin nodes around the parts that know nothing of ROS."""
