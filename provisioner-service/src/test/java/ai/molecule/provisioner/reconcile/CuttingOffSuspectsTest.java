package ai.molecule.provisioner.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.provisioner.backend.Backend;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** A quarantined agent is taken off the network before it is asked to stop: it has seconds for that, and they are its own. */
class CuttingOffSuspectsTest extends ProvisioningFixture {

    private static final Set<String> ENDS = Set.of("cutOff", "stop");

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private volatile boolean engineFails;

    @Test
    void it_is_cut_off_and_then_stopped(Vertx vertx) {
        var id = running(vertx);
        provisioning.registry.quarantine(id);

        provisioning.reconcile(id);

        assertThat(asked).startsWith("cutOff", "stop");
        assertThat(Provisioning.processesOf(id)).isZero();
    }

    @Test
    void an_engine_that_cannot_cut_it_off_stops_it_all_the_same(Vertx vertx) {
        var id = running(vertx);
        engineFails = true;
        provisioning.registry.quarantine(id);

        provisioning.reconcile(id);

        assertThat(asked).startsWith("cutOff", "stop");
        assertThat(Provisioning.processesOf(id)).isZero();
    }

    @Test
    void one_that_is_only_paused_is_not(Vertx vertx) {
        var id = running(vertx);
        provisioning.registry.pause(id);

        provisioning.reconcile(id);

        assertThat(asked).contains("stop").doesNotContain("cutOff");
    }

    private UUID running(Vertx vertx) {
        with(vertx, ScriptedAgents.STEADY);
        provisioning.start(watched(provisioning.backend()));
        var id = provisioning.running();
        asked.clear();
        return id;
    }

    private Backend watched(Backend backend) {
        return (Backend) Proxy.newProxyInstance(
                Backend.class.getClassLoader(), new Class<?>[] {Backend.class}, (proxy, method, args) -> {
                    if (ENDS.contains(method.getName())) {
                        asked.add(method.getName());
                    }
                    if (engineFails && method.getName().equals("cutOff")) {
                        return Future.failedFuture("the engine does not answer");
                    }
                    try {
                        return method.invoke(backend, args);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }
}
