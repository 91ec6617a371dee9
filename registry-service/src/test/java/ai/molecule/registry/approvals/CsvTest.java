package ai.molecule.registry.approvals;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What agents say becomes cells that are read as words. */
class CsvTest {

    @ParameterizedTest
    @ValueSource(strings = {"=1+1", "+1", "-1", "@x", " =1", "\t=1"})
    void a_cell_that_begins_as_a_formula_begins_with_an_apostrophe(String text) {
        assertThat(Csv.cell(text)).isEqualTo("'" + text);
    }

    @Test
    void a_cell_with_a_comma_a_quote_or_a_line_break_is_quoted() {
        assertThat(Csv.cell("a,b")).isEqualTo("\"a,b\"");
        assertThat(Csv.cell("say \"no\"")).isEqualTo("\"say \"\"no\"\"\"");
        assertThat(Csv.cell("two\r\nlines")).isEqualTo("\"two\r\nlines\"");
        assertThat(Csv.cell("\n=1")).isEqualTo("\"'\n=1\"");
        assertThat(Csv.cell("plain = words")).isEqualTo("plain = words");
    }

    @Test
    void a_line_has_a_cell_for_each_column_and_nothing_for_null() {
        var row = Json.object().put("a", 1).putNull("b").put("d", "x");

        assertThat(Csv.line(List.of("a", "b", "c", "d"), row)).isEqualTo("1,,,x\r\n");
    }
}
