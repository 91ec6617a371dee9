package ai.molecule.provisioner.organisations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.ApiError;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VariablesTest {

    @ParameterizedTest
    @ValueSource(strings = {"DB_PASS", "DB_PWD", "GH_PAT", "MOLECULE_DATA", "OPENAI_API_KEY", "anything"})
    void a_file_of_an_organisation_sees_nothing_of_the_platforms_environment_that_nobody_gave_it(String name) {
        var variables = Variables.of(Map.of(name, "kept back"), Map.of());

        assertThatThrownBy(() -> variables.expand("/srv/${" + name + "}"))
                .isInstanceOfSatisfying(
                        ApiError.class,
                        error -> assertThat(InvalidOrganisation.problemOf(error))
                                .isEqualTo("the variable %s is not set".formatted(name)));
    }

    @Test
    void folders_are_named_with_what_a_person_gave() {
        var variables = Variables.of(
                Map.of("HOME", "/home/kim", "ORG_PROJECTS", "/srv/projects"),
                Map.of("TEAM", "red", "HOME", "/home/org"));

        assertThat(variables.expand("$ORG_PROJECTS/${TEAM} $HOME")).isEqualTo("/srv/projects/red /home/org");
    }
}
