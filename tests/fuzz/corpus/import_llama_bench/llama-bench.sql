CREATE TABLE IF NOT EXISTS test (
  build_commit TEXT,
  build_number INTEGER,
  cpu_info TEXT,
  gpu_info TEXT,
  backends TEXT,
  model_filename TEXT,
  model_type TEXT,
  model_size INTEGER,
  model_n_params INTEGER,
  n_batch INTEGER,
  n_ubatch INTEGER,
  n_threads INTEGER,
  n_prompt INTEGER,
  n_gen INTEGER,
  n_depth INTEGER,
  test_time TEXT,
  avg_ns INTEGER,
  stddev_ns INTEGER,
  avg_ts REAL,
  stddev_ts REAL
);

INSERT INTO test (build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size, model_n_params, n_batch, n_ubatch, n_threads, n_prompt, n_gen, n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts) VALUES ('abc', '4000', 'AMD EPYC', 'NVIDIA L4', 'CUDA', 'm.gguf', 'llama 7B Q4_0', '3825065984', '6738415616', '2048', '512', '8', '512', '0', '0', '2025-03-01T10:00:00Z', '200000000', '100', '2560.0', '1.0');
INSERT INTO test (build_commit, build_number, cpu_info, gpu_info, backends, model_filename, model_type, model_size, model_n_params, n_batch, n_ubatch, n_threads, n_prompt, n_gen, n_depth, test_time, avg_ns, stddev_ns, avg_ts, stddev_ts) VALUES ('abc', '4000', 'AMD EPYC', 'NVIDIA L4', 'CUDA', 'it''s.gguf', 'llama 7B Q4_0', '3825065984', '6738415616', '2048', '512', '8', '0', '128', '0', '2025-03-01T10:00:05Z', '1500000000', '100', '85.3', '1.0');
