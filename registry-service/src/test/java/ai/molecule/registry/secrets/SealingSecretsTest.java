package ai.molecule.registry.secrets;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.registry.secrets.Vault.Sealed;
import io.vertx.core.buffer.Buffer;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a key is, and what is stored. */
class SealingSecretsTest {

    private static final EncryptionKey KEY =
            EncryptionKey.of("a raw key of exactly 32 bytes !!").orElseThrow();

    private final Vault vault = new Vault(KEY);

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
        var sealed = vault.seal("päss");

        assertThat(sealed.version()).isEqualTo(1);
        assertThat(sealed.bytes().length()).isEqualTo(12 + 5 + 16);
        assertThat(vault.seal("päss").bytes()).isNotEqualTo(sealed.bytes());
        assertThat(vault.open(sealed)).contains("päss");
    }

    @Test
    void what_was_changed_or_sealed_otherwise_is_not_opened() {
        var sealed = vault.seal("value");
        var changed = sealed.bytes().copy().setByte(14, (byte) (sealed.bytes().getByte(14) ^ 1));
        var other =
                new Vault(EncryptionKey.of("another key of exactly 32 bytes!").orElseThrow());

        assertThat(vault.open(new Sealed(changed, 1))).isEmpty();
        assertThat(vault.open(new Sealed(Buffer.buffer("short"), 1))).isEmpty();
        assertThat(vault.open(new Sealed(sealed.bytes(), 2))).isEmpty();
        assertThat(other.open(sealed)).isEmpty();
        assertThat(new Vault(null).open(sealed)).isEmpty();
    }

    @Test
    void without_a_key_values_are_kept_in_clear_and_stay_readable_with_one() {
        var clear = new Vault(null).seal("value");

        assertThat(clear.version()).isZero();
        assertThat(clear.bytes().toString()).isEqualTo("value");
        assertThat(vault.open(clear)).contains("value");
    }

    @Test
    void nothing_that_holds_a_value_prints_it() {
        assertThat(Secret.of("KEY", "hush")).hasToString("Secret[key=KEY]");
        assertThat(KEY.toString()).doesNotContain("raw key");
    }
}
