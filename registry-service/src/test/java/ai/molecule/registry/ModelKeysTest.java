package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.auth.Credentials;
import ai.molecule.common.auth.ModelKey;
import ai.molecule.common.bus.registry.VerifyToken;
import ai.molecule.common.bus.registry.VerifyToken.Holder;
import ai.molecule.common.bus.registry.VerifyToken.Verdict;
import ai.molecule.common.models.ProviderTable;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the programs of an agent hold in the place of providers' keys, and what is told of these. */
class ModelKeysTest {

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start("SECRETS_ENCRYPTION_KEY", "a raw key of exactly 32 bytes !!");
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void a_key_says_who_pays_and_nothing_else() {
        String id = registry.create("Paying");
        String key = ModelKey.of(registry.token(id));

        assertThat(verdict(key).holder()).isEqualTo(Holder.MODEL_KEY);
        assertThat(verdict(key).modelKeyHolder()).isEqualTo(UUID.fromString(id));
        assertThat(verdict(key).workspaceHolder()).isNull();
    }

    @Test
    void a_key_opens_nothing_of_the_registry() {
        String id = registry.create("Closed");
        String key = ModelKey.of(registry.token(id));

        for (String path : List.of("/secrets/values", "/secrets", "/memories", "/config", "/tokens", "/budget")) {
            assertThat(registry.get("/workspaces/" + id + path, key).status())
                    .as(path)
                    .isEqualTo(401);
        }
        assertThat(registry.get("/workspaces", key).status()).isEqualTo(401);
    }

    @Test
    void a_key_ends_with_its_token() {
        String id = registry.create("Ending");
        String token = registry.token(id);
        String listed = registry.get("/workspaces/" + id + "/tokens", ADMIN)
                .json()
                .path("tokens")
                .path(0)
                .path("id")
                .asText();

        registry.delete("/workspaces/" + id + "/tokens/" + listed, ADMIN);

        assertThat(verdict(ModelKey.of(token)).holder()).isEqualTo(Holder.NOBODY);
    }

    @Test
    void an_agent_that_the_platform_starts_is_told_no_providers_key_or_address() {
        String id = registry.create("Managed");
        String token = registry.token(id);
        Set<String> given = new TreeSet<>(ProviderTable.shipped().secrets());
        given.add("FINE");
        for (String key : given) {
            registry.post("/workspaces/" + id + "/secrets", "{\"key\":\"" + key + "\",\"value\":\"the-value\"}", ADMIN);
        }

        assertThat(registry.get("/workspaces/" + id + "/secrets/values", token))
                .hasToString("200 {\"FINE\":\"the-value\"}");
        assertThat(registry.get("/workspaces/" + id + "/secrets", token).json().findValuesAsText("key"))
                .containsAll(given);
    }

    private static Verdict verdict(String bearer) {
        return registry.bus
                .call(VerifyToken.CONTRACT, new VerifyToken(Credentials.hashOf(bearer), null))
                .await();
    }
}
