raise ModuleNotFoundError("No module named 'torch'")
