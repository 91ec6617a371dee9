package ai.molecule.provisioner.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.TextNode;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** YAML as JSON, and what is refused before it costs anything. */
class ReadingYamlTest {

    @Test
    void a_document_becomes_json() {
        assertThat(BoundedYaml.parse("""
                name: "R&D"
                version: 2024-01-01
                tier: 3
                ratio: 0.5
                on: yes
                nothing:
                list: [a, &x {b: c}, *x]
                1: one
                """)).hasToString("""
                {"name":"R&D","version":"2024-01-01","tier":3,"ratio":0.5,"true":true,"nothing":null,\
                "list":["a",{"b":"c"},{"b":"c"}],"1":"one"}""");
        assertThat(BoundedYaml.parse("").isNull()).isTrue();
    }

    @Test
    void a_tag_means_what_the_caller_says() {
        var read = BoundedYaml.parse(
                "a: !include other.yaml", Map.of("!include", name -> TextNode.valueOf("content of " + name)));

        assertThat(read.path("a").asText()).isEqualTo("content of other.yaml");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a: !!java.net.URL [http://127.0.0.1]",
                "a: !include other.yaml",
                "a: &a [*a]",
                "&a {b: *a}",
                "{a: 1, a: 2}",
                "[a]: list as key",
                "a: .inf",
                "a: !!binary aGVsbG8=",
                "a: !!set {x}",
                "a: b\n--- \nc: d",
                "a: [",
                "\0",
                "*unknown",
            })
    void what_is_not_plain_is_refused(String text) {
        assertThatThrownBy(() -> BoundedYaml.parse(text)).isInstanceOf(YamlRefused.class);
    }

    @Test
    void bombs_are_refused() {
        var laughs = new StringBuilder("a0: &a0 [x, x]\n");
        for (int i = 1; i < 12; i++) {
            laughs.append("a%d: &a%d [%s]\n".formatted(i, i, ("*a" + (i - 1) + ",").repeat(4)));
        }
        assertThatThrownBy(() -> BoundedYaml.parse(laughs.toString())).hasMessage("holds too many values");
        assertThatThrownBy(() -> BoundedYaml.parse("[*a,".repeat(60))).isInstanceOf(YamlRefused.class);
        assertThatThrownBy(() -> BoundedYaml.parse("[".repeat(100_000))).isInstanceOf(YamlRefused.class);
        assertThatThrownBy(() -> BoundedYaml.parse("a: " + "x".repeat(BoundedYaml.MAX_CHARS)))
                .hasMessage("is larger than 1 MiB");
        assertThatThrownBy(() -> BoundedYaml.parse("&x [" + "*x,".repeat(60) + "]"))
                .isInstanceOf(YamlRefused.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a: !!int '%s'", "? !!int '%s'", "a: [!!float '%s']"})
    void a_long_number_is_refused_before_it_is_made(String text) {
        assertThatThrownBy(() -> BoundedYaml.parse(text.formatted("7".repeat(1_000_000))))
                .hasMessage("holds a number of more than 1000 characters");
        assertThat(BoundedYaml.parse("a: '%s'".formatted("7".repeat(1_000_000)))
                        .path("a")
                        .isTextual())
                .isTrue();
    }

    @Test
    void what_is_merged_counts_wherever_it_is_merged() {
        var many = new StringBuilder("a: &a {");
        for (int i = 0; i < 40_000; i++) {
            many.append("k%d: 1,".formatted(i));
        }
        String merged = many + "}\nb: {<<: [%s]}".formatted("*a,".repeat(40));

        assertThatThrownBy(() -> BoundedYaml.parse(merged)).hasMessage("holds too many values");
        assertThat(BoundedYaml.parse("a: &a {b: 1}\nc: {<<: *a, d: 2}"))
                .hasToString("{\"a\":{\"b\":1},\"c\":{\"b\":1,\"d\":2}}");
    }
}
