package ai.molecule.provisioner.docker;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Optional;

/** The network of the agents' containers, made when it is absent. */
public final class AgentNetwork {

    private static final int CONFLICT = 409;

    private final Engine engine;
    private final String name;

    AgentNetwork(Engine engine, String name) {
        this.engine = engine;
        this.name = name;
    }

    /** For whoever must listen there before the provisioner runs. */
    public static AgentNetwork of(Vertx vertx, Path socket, String name) {
        return new AgentNetwork(new Engine(vertx, socket), name);
    }

    /**
     * This machine's address in the network, by which containers reach what listens on it; empty when the engine runs in another
     * machine, as with Docker Desktop. Fails when the engine does not answer.
     */
    public Future<Optional<String>> gateway() {
        return require().map(network -> gatewayOf(network).filter(AgentNetwork::isOurs));
    }

    private Future<JsonObject> require() {
        String path = "/networks/" + Engine.encode(name);
        return engine.get(path)
                .compose(found -> found.isMissing()
                        ? create().compose(created -> engine.get(path))
                        : Future.succeededFuture(found))
                .compose(EngineAnswer::require)
                .map(EngineAnswer::object);
    }

    /** Somebody else may be making it just now. */
    private Future<EngineAnswer> create() {
        var network = new JsonObject()
                .put("Name", name)
                .put("Driver", "bridge")
                .put("CheckDuplicate", true)
                .put("Labels", new JsonObject().put(Names.MANAGED, "true"));
        return engine.post("/networks/create", network).compose(created -> created.require(CONFLICT));
    }

    private static Optional<String> gatewayOf(JsonObject network) {
        var pools = network.getJsonObject("IPAM", new JsonObject()).getJsonArray("Config");
        return Optional.ofNullable(pools == null ? new JsonArray() : pools).stream()
                .flatMap(JsonArray::stream)
                .map(pool -> ((JsonObject) pool).getString("Gateway"))
                .filter(gateway -> gateway != null && !gateway.contains(":"))
                .findFirst();
    }

    private static boolean isOurs(String address) {
        try {
            return NetworkInterface.getByInetAddress(InetAddress.getByName(address)) != null;
        } catch (UnknownHostException | SocketException e) {
            return false;
        }
    }
}
