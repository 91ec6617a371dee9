package ai.molecule.common.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Which pattern a path finds. */
class PathTreeTest {

    private final PathTree<String> tree = new PathTree<>();

    PathTreeTest() {
        for (String pattern : List.of("/a", "/a/:x", "/a/:x/b", "/a/:x/c/*", "/a/known/:y", "/r/*", "/a/:x/b/:y")) {
            tree.put(pattern, pattern);
        }
    }

    @Test
    void a_path_finds_its_pattern_and_what_stood_for_its_parameters() {
        assertThat(find("/a")).isEqualTo("/a []");
        assertThat(find("/a/1")).isEqualTo("/a/:x [1]");
        assertThat(find("/a/1/b/2")).isEqualTo("/a/:x/b/:y [1, 2]");
    }

    @Test
    void a_star_is_any_rest_and_none() {
        assertThat(find("/a/1/c")).isEqualTo("/a/:x/c/* [1]");
        assertThat(find("/a/1/c/d/e")).isEqualTo("/a/:x/c/* [1]");
        assertThat(find("/r")).isEqualTo("/r/* []");
    }

    @Test
    void a_literal_goes_first_and_the_way_back_is_tried_when_it_leads_nowhere() {
        assertThat(find("/a/known/2")).isEqualTo("/a/known/:y [2]");
        assertThat(find("/a/known/b")).isEqualTo("/a/known/:y [b]");
        assertThat(find("/a/known/b/2")).isEqualTo("/a/:x/b/:y [known, 2]");
        assertThat(find("/a/known")).isEqualTo("/a/:x [known]");
    }

    @Test
    void one_slash_at_the_end_is_nothing_and_an_empty_segment_is_no_parameter() {
        assertThat(find("/a/1/")).isEqualTo("/a/:x [1]");
        assertThat(find("/a/")).isEqualTo("/a []");
        assertThat(tree.find("/a//")).isNull();
    }

    @Test
    void what_matches_no_pattern_finds_nothing() {
        for (String path : List.of("/", "", "/b", "/a/1/d", "/a/1/b/2/3", "/ab", "/A")) {
            assertThat(tree.find(path)).as(path).isNull();
        }
    }

    private String find(String path) {
        var match = tree.find(path);
        return match == null ? "nothing" : match.value() + " " + match.parameters();
    }
}
