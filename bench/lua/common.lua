-- Sends prepared requests in turn, each thread from another place, and says at the end what was not answered 200.
local threads = {}

function setup(thread)
  thread:set("number", #threads)
  threads[#threads + 1] = thread
end

failures = 0
local next = 0

function init(args)
  prepared = prepare(dofile(os.getenv("BENCH_HOME") .. "/lua/agents.lua"))
  next = number * 37
  local copy = os.getenv("BENCH_REQUESTS") -- where another program wants them
  if copy and number == 0 then
    local file = io.open(copy, "w")
    for _, request in ipairs(prepared) do file:write(#request, "\n", request) end
    file:close()
  end
end

function request()
  next = next + 1
  return prepared[next % #prepared + 1]
end

function response(status)
  if status ~= 200 then failures = failures + 1 end
end

function done(summary, latency)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  for _, thread in ipairs(threads) do failed = failed + thread:get("failures") end
  io.write(string.format("RESULT %.0f %.2f %.2f %.2f %d\n", summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000, failed))
end
