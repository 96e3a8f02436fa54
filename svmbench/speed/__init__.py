"""What this machine can do, and what the kernel rows reach of it. It uses the other parts; nothing uses it."""
