package ai.molecule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What is offered to somebody who typed a name that nobody has. */
class FindingNearNamesTest {

    private static final List<String> NAMES = List.of("Researcher", "Team Lead", "Tester", "Writer");

    @Test
    void a_few_wrong_letters_are_near() {
        assertThat(NearMiss.of("team laed", NAMES)).containsExactly("Team Lead");
    }

    @Test
    void one_word_of_a_name_is_near_to_it() {
        assertThat(NearMiss.of("lead", NAMES)).containsExactly("Team Lead");
        assertThat(NearMiss.of("Laed", NAMES)).isEmpty();
    }

    @Test
    void what_is_far_from_all_is_near_to_none() {
        assertThat(NearMiss.of("Gardener", NAMES)).isEmpty();
    }
}
