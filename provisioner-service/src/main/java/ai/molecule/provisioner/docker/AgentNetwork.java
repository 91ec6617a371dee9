package ai.molecule.provisioner.docker;

import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The network of the agents' containers, made when it is absent. */
public final class AgentNetwork {

    private static final int CONFLICT = 409;

    /** Whether containers in a bridge reach each other. The machine reaches each of them, and they it, either way. */
    private static final String ICC = "com.docker.network.bridge.enable_icc";

    private static final Logger LOGGER = LoggerFactory.getLogger(AgentNetwork.class);

    private final Engine engine;
    private final String name;
    private final boolean apart;
    private final AtomicBoolean told = new AtomicBoolean();

    AgentNetwork(Engine engine, DockerSettings settings) {
        this.engine = engine;
        this.name = settings.network();
        this.apart = settings.apart();
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
                .map(EngineAnswer::object)
                .onSuccess(this::compare);
    }

    /** One that was made before keeps its options until it is removed. */
    private void compare(JsonObject network) {
        boolean open = !"false"
                .equals(network.getJsonObject("Options", new JsonObject()).getString(ICC));
        if (apart && open && told.compareAndSet(false, true)) {
            LOGGER.atWarn()
                    .addKeyValue("network", name)
                    .log(
                            "agents reach each other past the platform: this network was made without MOLECULE_DOCKER_ICC=off");
        }
    }

    /** Somebody else may be making it just now. */
    private Future<EngineAnswer> create() {
        var network = new JsonObject()
                .put("Name", name)
                .put("Driver", "bridge")
                .put("CheckDuplicate", true)
                .put("Options", apart ? new JsonObject().put(ICC, "false") : new JsonObject())
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
