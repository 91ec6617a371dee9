dofile(os.getenv("BENCH_HOME") .. "/lua/common.lua")

-- Ten bodies for each agent, so that what is stored changes.
function prepare(agents)
  local requests = {}
  for round = 1, 10 do
    for _, agent in ipairs(agents) do
      requests[#requests + 1] = wrk.format("POST", "/registry/heartbeat",
        { ["Content-Type"] = "application/json", ["Authorization"] = "Bearer " .. agent.token },
        string.format('{"workspace_id":"%s","error_rate":0.01,"sample_error":"","active_tasks":1,"uptime_seconds":%d,"current_task":"reading"}',
          agent.id, 1000 + round))
    end
  end
  return requests
end
