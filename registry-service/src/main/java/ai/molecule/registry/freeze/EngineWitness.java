package ai.molecule.registry.freeze;

import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.provisioner.EngineHealth;
import io.vertx.core.Future;

/**
 * Whether what agents run in is well, as the provisioner says. The database is whom we ask all the time, and Redis says nothing about
 * who lives.
 */
public final class EngineWitness {

    private EngineWitness() {}

    /** Fails when nobody answers. */
    public static Future<Boolean> isWell(Bus bus) {
        return bus.call(EngineHealth.CONTRACT, new EngineHealth()).map(EngineHealth.Answer::healthy);
    }
}
