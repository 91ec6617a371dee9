-- Messages of a person to one agent, each with an id of its own: the runtime runs none twice.
dofile(os.getenv("BENCH_HOME") .. "/lua/common.lua")

local body = dofile(os.getenv("BENCH_HOME") .. "/lua/message.lua")

function prepare() return {} end

local sent = 0

function request()
  sent = sent + 1
  return wrk.format("POST", "/", { ["Content-Type"] = "application/json" }, body(number * 100000000 + sent))
end
