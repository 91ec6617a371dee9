package ai.molecule.registry.secrets;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.registry.secrets.Vault.Place;
import ai.molecule.registry.secrets.Vault.Sealed;
import io.vertx.core.buffer.Buffer;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a key is, and what is stored. */
class SealingSecretsTest {

    private static final EncryptionKey KEY =
            EncryptionKey.of("a raw key of exactly 32 bytes !!").orElseThrow();

    private static final EncryptionKey OTHER_KEY =
            EncryptionKey.of("another key of exactly 32 bytes!").orElseThrow();

    private static final Place ROW = new Place(UUID.randomUUID(), "KEY");

    private final Vault vault = new Vault(KEY, List.of());

    @Test
    void base64_of_32_bytes_and_32_bytes_of_text_are_keys() {
        assertThat(EncryptionKey.of(Base64.getEncoder().encodeToString(new byte[32])))
                .isPresent();
        assertThat(EncryptionKey.of("0123456789-abcdef-0123456789-abc")).isPresent();
        assertThat(EncryptionKey.of("ä".repeat(16))).isPresent();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "own",
                "0123456789abcdef0123456789abcdef", // Base64 of 24 bytes
                "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", // Base64 of 32 bytes without its padding
                "ääääääääääääääääääääääääääääääää" // 64 bytes
            })
    void anything_else_is_none(String text) {
        assertThat(EncryptionKey.of(text)).isEmpty();
        assertThat(EncryptionKey.of(null)).isEmpty();
    }

    @Test
    void a_value_is_stored_as_nonce_ciphertext_and_tag_and_never_twice_the_same() {
        var sealed = vault.seal(ROW, "päss");

        assertThat(sealed.version()).isEqualTo(2);
        assertThat(sealed.keyId()).isEqualTo(KEY.id()).matches("[0-9a-f]{16}");
        assertThat(sealed.bytes().length()).isEqualTo(12 + 5 + 16);
        assertThat(vault.seal(ROW, "päss").bytes()).isNotEqualTo(sealed.bytes());
        assertThat(vault.open(ROW, sealed)).contains("päss");
    }

    @Test
    void what_was_changed_or_sealed_otherwise_is_not_opened() {
        var sealed = vault.seal(ROW, "value");
        var changed = sealed.bytes().copy().setByte(14, (byte) (sealed.bytes().getByte(14) ^ 1));

        assertThat(vault.open(ROW, new Sealed(changed, 2, KEY.id()))).isEmpty();
        assertThat(vault.open(ROW, new Sealed(Buffer.buffer("short"), 2, KEY.id())))
                .isEmpty();
        assertThat(vault.open(ROW, new Sealed(sealed.bytes(), 1, null))).isEmpty();
        assertThat(vault.open(ROW, new Sealed(sealed.bytes(), 3, KEY.id()))).isEmpty();
        assertThat(new Vault(OTHER_KEY, List.of()).open(ROW, sealed)).isEmpty();
        assertThat(new Vault(null, List.of()).open(ROW, sealed)).isEmpty();
    }

    @Test
    void a_value_opens_in_its_own_row_alone() {
        var sealed = vault.seal(ROW, "value");

        assertThat(vault.open(new Place(ROW.workspaceId(), "OTHER"), sealed)).isEmpty();
        assertThat(vault.open(new Place(UUID.randomUUID(), "KEY"), sealed)).isEmpty();
        assertThat(vault.open(new Place(null, "KEY"), sealed)).isEmpty();
    }

    @Test
    void what_an_older_key_sealed_still_opens_and_nothing_is_sealed_with_it() {
        var after = new Vault(OTHER_KEY, List.of(KEY));

        assertThat(after.open(ROW, vault.seal(ROW, "value"))).contains("value");
        assertThat(after.seal(ROW, "value").keyId()).isEqualTo(OTHER_KEY.id()).isNotEqualTo(KEY.id());
    }

    @Test
    void version_1_still_opens() {
        // sealed with this key by the release before there were key ids: nonce, ciphertext, tag, and no row
        var before = new Sealed(
                Buffer.buffer(Base64.getDecoder().decode("AAECAwQFBgcICQoL2Tk5WYFMxDiw/1ej313SY+I0YXcRzDyOrCbiWVs4")),
                1,
                null);

        assertThat(vault.open(ROW, before)).contains("an older value");
        assertThat(new Vault(OTHER_KEY, List.of(KEY)).open(ROW, before)).contains("an older value");
        assertThat(new Vault(OTHER_KEY, List.of()).open(ROW, before)).isEmpty();
    }

    @Test
    void without_a_key_values_are_kept_in_clear_and_stay_readable_with_one() {
        var clear = new Vault(null, List.of()).seal(ROW, "value");

        assertThat(clear.version()).isZero();
        assertThat(clear.bytes().toString()).isEqualTo("value");
        assertThat(vault.open(ROW, clear)).contains("value");
    }

    @Test
    void nothing_that_holds_a_value_prints_it() {
        assertThat(Secret.of("KEY", "hush")).hasToString("Secret[key=KEY]");
        assertThat(KEY.toString()).doesNotContain("raw key");
    }
}
