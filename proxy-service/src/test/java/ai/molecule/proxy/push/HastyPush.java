package ai.molecule.proxy.push;

import static ai.molecule.common.testing.Records.with;

import ai.molecule.proxy.ProxyConfig;
import ai.molecule.proxy.leases.LeaseRunner.Pace;
import java.time.Duration;
import java.util.Map;

/** Push notifications that look, tell, give up and change hands sooner than people need. */
final class HastyPush {

    static final int ATTEMPTS_MAX = 4;

    private HastyPush() {}

    static ProxyConfig of(ProxyConfig config) {
        var pace = new Pace(Duration.ofSeconds(3), Duration.ofMillis(50), 64);
        return with(
                config,
                "push",
                with(
                        config.push(),
                        Map.of(
                                "looks",
                                pace,
                                "deliveries",
                                pace,
                                "lookMin",
                                Duration.ofMillis(20),
                                "lookMax",
                                Duration.ofMillis(100),
                                "backOff",
                                Duration.ofMillis(20),
                                "backOffMax",
                                Duration.ofMillis(100),
                                "attemptsMax",
                                ATTEMPTS_MAX)));
    }
}
