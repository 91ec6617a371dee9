package ai.molecule.system.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.config.Env;
import ai.molecule.proxy.models.pricelist.PriceListConfig;
import ai.molecule.registry.secrets.stores.StoreSettings;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docker-compose.yml} as it is when nothing is set: what it opens, and what it lets its containers do. */
class ComposeFileTest {

    /** But for the one key that is public. */
    private static final Pattern CONFIDENTIAL =
            Pattern.compile("(?!MOLECULE_PRICE_LIST_KEY$).*(SECRET|PASSWORD|_KEY|_TOKEN)");

    private JsonNode file = MissingNode.getInstance();

    @BeforeEach
    void read() throws IOException {
        file = Kustomization.documents(Manifests.ROOT.resolve("docker-compose.yml"))
                .getFirst();
    }

    @Test
    void the_one_port_is_published_to_this_machine_only() {
        List<String> published = new ArrayList<>();
        file.path("services").forEach(service -> service.path("ports").forEach(port -> published.add(port.asText())));

        assertThat(published).containsExactly("${MOLECULE_PORT:-127.0.0.1:8080}:8080");
    }

    @Test
    void no_container_has_capabilities_beside_those_by_which_it_becomes_another_user() {
        file.path("services").properties().forEach(service -> {
            var given = service.getValue().path("<<").asText().equals("service")
                    ? file.path("x-service")
                    : service.getValue();

            assertThat(given.path("cap_drop").toString()).as(service.getKey()).isEqualTo("[\"ALL\"]");
            assertThat(given.path("security_opt").toString())
                    .as(service.getKey())
                    .isEqualTo("[\"no-new-privileges:true\"]");
            service.getValue()
                    .path("cap_add")
                    .forEach(added -> assertThat(added.asText())
                            .as(service.getKey())
                            .isIn("CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"));
        });
    }

    @Test
    void every_store_that_secrets_may_refer_to_can_be_opened_and_is_closed_while_nothing_is_set() {
        var given = file.path("services").path("registry").path("environment");
        var asked = new Environments.Asked(Map.of("VAULT_ADDR", "https://vault.example.com", "VAULT_TOKEN", "t"));
        StoreSettings.fromEnv(new Env(asked));

        assertThat(asked.names()).contains("VAULT_ADDR", "MOLECULE_SECRET_FOLDERS", "MOLECULE_SECRET_PROGRAMS");
        requirePassedOn(asked, given);
        assertThat(given.path("VAULT_TOKEN_FILE").asText()).isEqualTo("/run/secrets/vault_token");
    }

    @Test
    void a_price_list_can_be_named_and_there_is_none_while_nothing_is_set() {
        var asked = new Environments.Asked(Map.of());
        assertThat(PriceListConfig.fromEnv(new Env(asked))).isEmpty();

        assertThat(asked.names()).contains("MOLECULE_PRICE_LIST", "MOLECULE_PRICE_LIST_KEY");
        requirePassedOn(asked, file.path("services").path("proxy").path("environment"));
    }

    private static void requirePassedOn(Environments.Asked asked, JsonNode given) {
        assertThat(asked.names()).allSatisfy(name -> {
            String plain = name.replaceAll("_FILE$", "");
            assertThat(given.has(plain) || given.has(plain + "_FILE")).as(name).isTrue();
            assertThat(given.path(plain).asText("")).isIn("", "${%s:-}".formatted(plain));
        });
    }

    @Test
    void what_is_confidential_is_a_file_that_is_made_beforehand(@TempDir Path secrets) throws Exception {
        var made = new ProcessBuilder(
                        Manifests.ROOT.resolve("docker/make-secrets").toString(), secrets.toString())
                .inheritIO()
                .start();
        assertThat(made.waitFor(60, TimeUnit.SECONDS)).isTrue();

        file.findParents("environment")
                .forEach(service -> assertThat(service.path("environment").fieldNames())
                        .toIterable()
                        .noneMatch(CONFIDENTIAL.asMatchPredicate()));
        file.path("secrets")
                .fieldNames()
                .forEachRemaining(
                        name -> assertThat(secrets.resolve(name)).as(name).matches(Files::isReadable));
    }
}
