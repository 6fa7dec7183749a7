"""What runs a program: LLVM machine code, CUDA, or NumPy."""
