"""MJCF, the model format of MuJoCo, read through MuJoCo's own compiler."""
