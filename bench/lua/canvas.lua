dofile(os.getenv("BENCH_HOME") .. "/lua/common.lua")
local message = dofile(os.getenv("BENCH_HOME") .. "/lua/message.lua")

-- A person writes to each agent in turn.
function prepare(agents)
  local requests = {}
  for round = 1, 10 do
    for i, agent in ipairs(agents) do
      requests[#requests + 1] = wrk.format("POST", "/workspaces/" .. agent.id .. "/a2a",
        { ["Content-Type"] = "application/json" }, message(round * 1000 + i))
    end
  end
  return requests
end
