package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the token of a workspace that nobody let in opens of secrets and memories: its own. */
class StrangersReadingNothingTest {

    private static final String REFUSED = "403 {\"error\":\"workspace is not admitted\"}";

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.start("SECRETS_ENCRYPTION_KEY", "a raw key of exactly 32 bytes !!");
        registry.post("/settings/secrets", "{\"key\":\"A_KEY\",\"value\":\"sk-for-all\"}", ADMIN);
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void it_is_told_no_secret_until_it_is_admitted() {
        String id = stranger();
        String token = registry.token(id);
        registry.post("/workspaces/" + id + "/secrets", "{\"key\":\"OWN\",\"value\":\"v\"}", token);

        assertThat(registry.get("/workspaces/" + id + "/secrets/values", token)).hasToString("200 {}");
        assertThat(registry.get("/workspaces/" + id + "/secrets", token).json().findValuesAsText("key"))
                .containsExactly("OWN");

        admit(id);
        assertThat(registry.get("/workspaces/" + id + "/secrets/values", registry.token(id)))
                .hasToString("200 {\"A_KEY\":\"sk-for-all\",\"OWN\":\"v\"}");
    }

    @Test
    void it_reads_no_memory_of_others_and_writes_none_for_everybody() {
        String root = registry.create("Root");
        registry.post(memories(root), "{\"content\":\"for all\",\"scope\":\"GLOBAL\"}", ADMIN);
        String id = stranger();
        String token = registry.token(id);

        assertThat(registry.post(memories(id), "{\"content\":\"c\",\"scope\":\"GLOBAL\"}", token))
                .hasToString(REFUSED);
        assertThat(registry.get(memories(id) + "?scope=GLOBAL", token)).hasToString(REFUSED);
        assertThat(registry.get(memories(id) + "?scope=TEAM&q=x", token)).hasToString(REFUSED);

        assertThat(registry.post(memories(id), "{\"content\":\"mine\",\"scope\":\"LOCAL\"}", token)
                        .status())
                .isEqualTo(201);
        assertThat(registry.get(memories(id), token).json().findValuesAsText("content"))
                .containsExactly("mine");
    }

    private static String memories(String id) {
        return "/workspaces/" + id + "/memories";
    }

    private static String stranger() {
        String id = registry.create("Stranger");
        registry.sql("UPDATE workspaces SET admitted = false WHERE id = $1", UUID.fromString(id));
        return id;
    }

    private static void admit(String id) {
        registry.sql("UPDATE workspaces SET admitted = true WHERE id = $1", UUID.fromString(id));
    }
}
