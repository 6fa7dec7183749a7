"""What the target did before the impact, from what the robot did after it, and how surely."""
