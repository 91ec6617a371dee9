package ai.molecule.provisioner.docker;

import ai.molecule.provisioner.backend.AgentEnvironment;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.backend.WorkspaceFiles.Root;
import ai.molecule.provisioner.containers.Tier;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is asked of the engine for one agent: its environment and labels, where its folders and its port are, and what it may not
 * do. Nothing in it is a shell's to interpret.
 *
 * @param processors of the engine's machine: nobody gets more
 * @param gateway this machine's address in the agents' network; null lets the engine name it
 */
record AgentContainer(
        DockerSettings settings,
        Names names,
        int processors,
        @Nullable String gateway) {

    /** Where an agent listens inside (registry contract, 12). */
    static final int PORT = 8000;

    private static final long NANOS = 1_000_000_000;

    private static final String LOG_MAX = "10m";
    private static final String LOG_FILES = "2";

    JsonObject of(Launch launch, String image) {
        var workspace = launch.workspace();
        var tier = Tier.of(settings.tiers(), workspace.tier());
        boolean privileged = tier.wantsPrivileges() && settings.privileged();
        boolean hostNetwork = privileged && tier.wantsHostNetwork() && !settings.inNetwork();
        var host = limits(tier).mergeIn(privileged ? unbound(tier) : bound(tier));
        host.put("Mounts", Folders.ofAgent(workspace));
        host.put(
                "ExtraHosts",
                new JsonArray().add(DockerSettings.HOST_NAME + ":" + (gateway == null ? "host-gateway" : gateway)));
        var container = new JsonObject()
                .put("Image", image)
                .put("User", settings.uid() + ":" + settings.uid())
                .put("Hostname", Names.container(workspace.id()))
                .put("Env", environment(launch, hostNetwork))
                .put("Labels", names.labels(workspace).put(Names.ROLE, "agent"))
                .put("StopSignal", "SIGTERM")
                .put("HostConfig", host);
        if (hostNetwork) {
            container.remove("Hostname"); // it shares the machine's
            host.put("NetworkMode", "host");
            return container;
        }
        host.put("NetworkMode", settings.network());
        String port = PORT + "/tcp";
        container.put("ExposedPorts", new JsonObject().put(port, new JsonObject()));
        if (!settings.inNetwork()) {
            var published = new JsonObject().put("HostIp", "127.0.0.1").put("HostPort", String.valueOf(launch.port()));
            host.put("PortBindings", new JsonObject().put(port, new JsonArray().add(published)));
        }
        var aliases = new JsonObject().put("Aliases", new JsonArray().add(Names.container(workspace.id())));
        return container.put(
                "NetworkingConfig",
                new JsonObject().put("EndpointsConfig", new JsonObject().put(settings.network(), aliases)));
    }

    private JsonArray environment(Launch launch, boolean hostNetwork) {
        var place = Map.of("LANG", "C.UTF-8", "PLUGINS_DIR", Names.folder(Root.PLUGINS), "PYTHONPATH", "/app");
        var environment = new AgentEnvironment(
                        place,
                        Names.folder(Root.CONFIGS),
                        settings.platformUrl(),
                        hostNetwork ? "127.0.0.1" : "0.0.0.0",
                        settings.heartbeat())
                .of(launch, hostNetwork ? launch.port() : PORT);
        var list = new JsonArray();
        environment.forEach((name, value) -> list.add(name + "=" + value));
        return list;
    }

    private JsonObject limits(Tier tier) {
        return new JsonObject()
                .put("Memory", tier.memoryBytes())
                .put("MemorySwap", tier.memoryBytes())
                .put("NanoCpus", Math.min(tier.nanoCpus(), processors * NANOS))
                .put("PidsLimit", tier.pids())
                .put(
                        "Init",
                        true) // collects orphans, and passes SIGTERM on to programs that would not take it as process 1
                .put("RestartPolicy", new JsonObject().put("Name", "no")) // the platform is the only restarter
                .put("LogConfig", log());
    }

    private static JsonObject log() {
        return new JsonObject()
                .put("Type", "json-file")
                .put("Config", new JsonObject().put("max-size", LOG_MAX).put("max-file", LOG_FILES));
    }

    private static JsonObject bound(Tier tier) {
        var host = new JsonObject()
                .put("Privileged", false)
                .put("CapDrop", new JsonArray().add("ALL"))
                .put("SecurityOpt", new JsonArray().add("no-new-privileges"));
        if (tier.number() == 1) {
            host.put("ReadonlyRootfs", true).put("Tmpfs", new JsonObject().put("/tmp", "rw,noexec,nosuid,size=64m"));
        }
        return host;
    }

    /** Only where a person set MOLECULE_ALLOW_PRIVILEGED: such an agent can do what the engine's owner can. */
    private static JsonObject unbound(Tier tier) {
        var host = new JsonObject().put("Privileged", true).put("PidMode", "host");
        if (tier.wantsHostNetwork()) {
            host.put("Binds", new JsonArray().add("/var/run/docker.sock:/var/run/docker.sock"));
        }
        return host;
    }
}
