-- A read as a canvas in a browser sends it.
function init(args)
  prepared = wrk.format("GET", "/registry/discover/5f0c9d6e-2f4b-4c43-9f0b-3a1d7c0e9b11", {
    ["Accept"] = "application/json", ["Accept-Encoding"] = "gzip, deflate, br", ["Accept-Language"] = "en-GB,en;q=0.7",
    ["Authorization"] = "Bearer vJx1uQ2m0m3nV6a8Zb5yTq7wE9rK4sL2dF0gH1jC3xN",
    ["Connection"] = "keep-alive", ["Referer"] = "http://localhost:3000/canvas",
    ["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    ["X-Workspace-ID"] = "0b9d7c55-1f2e-4d38-8d5a-6e7f8a9b0c1d",
    ["traceparent"] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" })
end

function request() return prepared end

function done(summary, latency)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout + summary.errors.status
  io.write(string.format("RESULT %.0f %.2f %.2f %.2f %d\n", summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, latency.max / 1000, failed))
end
