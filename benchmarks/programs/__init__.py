"""Training and measurement of the gate's classifier (assessor/gate/likeness.py)."""
