package ai.molecule.provisioner.configs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a {@code config.yaml} says of runtime and model, also where it is not quite YAML. In the table a bar ends a line. */
class ReadingConfigFilesTest {

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "name: x|runtime: delegate,                                 delegate, -",
                "runtime: 'delegate' # mine,                                delegate, -",
                "runtime: \"claude-code\"|runtime: echo|model: sonnet,      claude-code, sonnet",
                "`  runtime: nested`,                                       -, -",
                "runtime: two words,                                        -, -",
                "runtime:,                                                  -, -",
                "runtime_config:|  model: 'a:b-c'|  timeout: 0,             -, a:b-c",
                "runtime_config:|  timeout: 0|other:|  model: no,           -, -",
                "a2a:|  model: no|model: yes-this # not that,               -, yes-this",
                "model:,                                                    -, -",
                "\uFEFFruntime: echo|model: sonnet,                         echo, sonnet",
                "[[[ broken|runtime: echo,                                  echo, -",
            })
    void the_lines_that_count(String lines, String runtime, String model) {
        var config = new ConfigFile(lines.replace('|', '\n'));

        assertThat(config.runtime()).isEqualTo(given(runtime));
        assertThat(config.model()).isEqualTo(given(model));
    }

    private static Optional<String> given(String value) {
        return value.equals("-") ? Optional.empty() : Optional.of(value);
    }
}
