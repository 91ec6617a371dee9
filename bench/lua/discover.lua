dofile(os.getenv("BENCH_HOME") .. "/lua/common.lua")

function prepare(agents)
  local requests = {}
  for i, agent in ipairs(agents) do
    for step = 1, 10 do
      local target = agents[(i + step * 7) % #agents + 1]
      requests[#requests + 1] = wrk.format("GET", "/registry/discover/" .. target.id,
        { ["Authorization"] = "Bearer " .. agent.token, ["X-Workspace-ID"] = agent.id })
    end
  end
  return requests
end
