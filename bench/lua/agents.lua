-- The seeded agents, from the file named by BENCH_AGENTS: lines of "<id> <token>".
local agents = {}
for line in io.lines(os.getenv("BENCH_AGENTS")) do
  local id, token = line:match("^(%S+) (%S+)$")
  agents[#agents + 1] = { id = id, token = token }
end
return agents
