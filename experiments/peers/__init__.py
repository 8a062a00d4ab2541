"""Denoised answers beside those of the best peers, on people whom none of them was made for."""
