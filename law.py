def law(t, q, v, memory):
    return v[:3], memory
