package ai.molecule.system.routes;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.system.routes.FourServices.Mode;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator opened in production is on {@code /admin/liveness}, for each service by itself. */
class TellingOpenDoorsIT {

    private static final Map<String, String> OPENED = Map.of(
            "MOLECULE_OPEN_READING", "1",
            "MOLECULE_OPEN_SOCKETS", "1",
            "MOLECULE_OPEN_HOSTS", "0",
            "MOLECULE_TRUST_AGENTS", "1");

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void every_service_names_the_variables_that_opened_something(boolean opened) {
        try (var services = FourServices.start(Mode.PRODUCTION, opened ? OPENED : Map.of())) {
            var page = services.ask(200, Request.of("GET", "/admin/liveness")).json();

            for (String service : new String[] {"registry", "proxy", "events", "provisioner"}) {
                var shown = page.path("services").path(service);
                assertThat(shown.path("answered").asBoolean()).as(service).isTrue();
                assertThat(shown.path("open_doors").toString())
                        .as(service)
                        .isEqualTo(
                                opened
                                        ? "[\"MOLECULE_OPEN_SOCKETS\",\"MOLECULE_OPEN_READING\",\"MOLECULE_TRUST_AGENTS\"]"
                                        : "");
            }
        }
    }
}
