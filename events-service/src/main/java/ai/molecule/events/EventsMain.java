package ai.molecule.events;

import ai.molecule.common.service.ServiceProcess;

/** Process entry point of events-service. */
public final class EventsMain {

    private EventsMain() {}

    public static void main(String[] args) {
        ServiceProcess.run("events", EventsConfig::fromEnv, EventsConfig::platform, EventsVerticle::new);
    }
}
