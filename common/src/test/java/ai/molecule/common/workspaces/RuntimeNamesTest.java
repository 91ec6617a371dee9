package ai.molecule.common.workspaces;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RuntimeNamesTest {

    @ParameterizedTest
    @ValueSource(strings = {"langgraph", "claude-code", "claude_code", "echo", "external", "crewai"})
    void names_of_this_build_are_known(String name) {
        assertThatCode(() -> RuntimeNames.OURS.check(name)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"langraph,langgraph", "claudecode,claude-code", "Echo,echo", "gemini,gemini-cli", "crew-ai,crewai"})
    void another_is_refused_with_the_one_that_looks_most_like_it(String asked, String meant) {
        assertThatThrownBy(() -> RuntimeNames.OURS.check(asked))
                .hasMessage("unknown runtime \"%s\"; did you mean \"%s\"?".formatted(asked, meant));
    }

    @Test
    void the_operator_adds_names_by_a_list_and_by_images() {
        var names = RuntimeNames.fromEnv(Map.of(
                "MOLECULE_RUNTIMES", "rust-agent, other",
                "MOLECULE_IMAGE_MY_AGENT", "registry/my-agent:1",
                "MOLECULE_IMAGE_PREFIX", "registry/"));

        assertThatCode(() -> names.check("rust-agent")).doesNotThrowAnyException();
        assertThatCode(() -> names.check("my-agent")).doesNotThrowAnyException();
        assertThatCode(() -> names.check("my_agent")).doesNotThrowAnyException();
        assertThatThrownBy(() -> names.check("prefix")).hasMessageStartingWith("unknown runtime");
    }
}
