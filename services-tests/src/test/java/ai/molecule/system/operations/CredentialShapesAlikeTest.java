package ai.molecule.system.operations;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.text.CredentialShapes;
import org.junit.jupiter.api.Test;

/** Agents and services take the same credentials out of texts, though no module lies below both. */
class CredentialShapesAlikeTest {

    @Test
    void both_tables_are_the_same() {
        assertThat(CredentialShapes.ALL.stream().map(Object::toString).toList())
                .isEqualTo(ai.molecule.sdk.CredentialShapes.ALL.stream()
                        .map(Object::toString)
                        .toList());
        assertThat(CredentialShapes.REGEX).isEqualTo(ai.molecule.sdk.CredentialShapes.REGEX);
    }
}
