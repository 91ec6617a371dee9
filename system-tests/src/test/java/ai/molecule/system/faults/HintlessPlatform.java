package ai.molecule.system.faults;

import ai.molecule.common.testing.TestConfig;
import ai.molecule.common.testing.TestStores;
import ai.molecule.events.EventsConfig;
import ai.molecule.events.EventsVerticle;
import ai.molecule.provisioner.ProvisionerConfig;
import ai.molecule.provisioner.ProvisionerVerticle;
import ai.molecule.provisioner.process.AgentMark;
import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.ProxyVerticle;
import ai.molecule.registry.RegistryConfig;
import ai.molecule.registry.RegistryVerticle;
import ai.molecule.system.Launcher;
import io.vertx.core.Vertx;
import io.vertx.core.eventbus.DeliveryContext;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** The four services in this JVM with agents as processes, on a bus that carries every call and loses every hint. */
final class HintlessPlatform implements AutoCloseable {

    private final Vertx vertx = Vertx.vertx();
    private final Set<String> lost = ConcurrentHashMap.newKeySet();
    final Client client;

    HintlessPlatform(Path data) {
        vertx.eventBus().addOutboundInterceptor(this::lose);
        int port = TestStores.freePort();
        client = new Client("http://127.0.0.1:" + port);
        var env = TestConfig.env(
                "MOLECULE_ENV", "development",
                "PORT", String.valueOf(port),
                "PLATFORM_URL", client.url,
                "RATE_LIMIT", "10000000",
                "MOLECULE_EDGE_SECRET", "edge",
                "SECRETS_ENCRYPTION_KEY", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
                "MOLECULE_BACKEND", "process",
                "MOLECULE_DATA", data.toString(),
                "MOLECULE_RUNTIME_JAR", Launcher.runtimeJar().toString(),
                "MOLECULE_SWEEP_SECONDS", "5", // 15 unless said
                "MOLECULE_HEARTBEAT_SECONDS", "1",
                "MOLECULE_STOP_SECONDS", "1");
        deploy(env);
    }

    /** Addresses of what was lost. */
    Set<String> lost() {
        return Set.copyOf(lost);
    }

    static Optional<Long> agentOf(String workspaceId) {
        String mark = AgentMark.workspaceArgument(UUID.fromString(workspaceId));
        return ProcessHandle.allProcesses()
                .filter(one -> one.info()
                        .commandLine()
                        .filter(line -> line.contains(mark))
                        .isPresent())
                .map(ProcessHandle::pid)
                .findFirst();
    }

    private void lose(DeliveryContext<Object> delivery) {
        String address = delivery.message().address();
        if (address.startsWith("hint.")) {
            lost.add(address);
        } else {
            delivery.next();
        }
    }

    private void deploy(Map<String, String> env) {
        var registry = new RegistryVerticle(RegistryConfig.fromEnv(env));
        var events = new EventsVerticle(EventsConfig.fromEnv(env));
        var provisioner = new ProvisionerVerticle(ProvisionerConfig.fromEnv(env));
        vertx.deployVerticle(registry).await();
        vertx.deployVerticle(events).await();
        vertx.deployVerticle(provisioner).await();
        env.put("REGISTRY_URL", "http://127.0.0.1:" + registry.actualPort());
        env.put("EVENTS_URL", "http://127.0.0.1:" + events.actualPort());
        env.put("PROVISIONER_URL", "http://127.0.0.1:" + provisioner.actualPort());
        vertx.deployVerticle(new ProxyVerticle(ProxyConfig.fromEnv(env))).await();
    }

    @Override
    public void close() {
        vertx.close().await();
    }
}
