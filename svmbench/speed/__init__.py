"""What this machine can do, and what the kernel rows reach of it; nothing but the command uses it."""
