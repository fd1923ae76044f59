"""Networks: ONNX graphs, one reader, one table of operations, onnxruntime and compiled kernels."""
