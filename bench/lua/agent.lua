dofile(os.getenv("BENCH_HOME") .. "/lua/common.lua")
local message = dofile(os.getenv("BENCH_HOME") .. "/lua/message.lua")

-- Each agent writes to ten of its siblings.
function prepare(agents)
  local requests = {}
  for i, agent in ipairs(agents) do
    for step = 1, 10 do
      local target = agents[(i + step * 7) % #agents + 1]
      requests[#requests + 1] = wrk.format("POST", "/workspaces/" .. target.id .. "/a2a",
        { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. agent.token, ["X-Workspace-ID"] = agent.id },
        message(i * 1000 + step))
    end
  end
  return requests
end
