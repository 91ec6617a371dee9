dofile(os.getenv("BENCH_HOME") .. "/lua/common.lua")

function prepare(agents)
  local requests = {}
  for _, agent in ipairs(agents) do
    requests[#requests + 1] = wrk.format("GET", "/workspaces/" .. agent.id)
  end
  return requests
end
