package ai.molecule.common.schedules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a request, or an organisation's file, says of a schedule. */
class ReadingSchedulesTest {

    @Test
    void what_is_not_said_is_as_clients_know_it() {
        var spec = read("{'cron_expr':'0 9 * * *','prompt':'Report.\\r\\nShort.'}");

        assertThat(spec.toJson())
                .hasToString(
                        "{\"name\":\"\",\"cron_expr\":\"0 9 * * *\",\"timezone\":\"UTC\",\"prompt\":\"Report.\\nShort.\","
                                + "\"enabled\":true,\"missed\":\"once\",\"missed_window_seconds\":43200,\"overlap\":\"skip\",\"jitter_seconds\":0}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{'every_seconds':600,'prompt':'p'}|@every 600s",
                "{'at':'2026-12-24T18:00:00','timezone':'Europe/Berlin','prompt':'p'}|@at 2026-12-24T17:00:00Z",
                "{'cron_expr':'@at 2026-12-24T18:00:00+01:00','prompt':'p'}|@at 2026-12-24T17:00:00Z",
                "{'cron_expr':' @daily ','every_seconds':null,'prompt':'p'}|@daily"
            })
    void each_way_to_say_when_is_told_as_one_text(String said, String expression) {
        assertThat(read(said).expression()).isEqualTo(expression);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|cron_expr and prompt are required",
                "{'cron_expr':'@daily'}|cron_expr and prompt are required",
                "{'prompt':'p'}|cron_expr and prompt are required",
                "{'cron_expr':'@daily','prompt':' '}|cron_expr and prompt are required",
                "{'cron_expr':'@daily','prompt':7}|invalid request body",
                "{'cron_expr':'0 0 31 4 *','prompt':'p'}|invalid cron expression \"0 0 31 4 *\": there is no such day",
                "{'cron_expr':'@daily','prompt':'p','timezone':'Mars/Base'}|invalid timezone: Mars/Base",
                "{'cron_expr':'@daily','at':'2027-01-01T00:00:00Z','prompt':'p'}|say one of cron_expr, every_seconds and at",
                "{'every_seconds':9,'prompt':'p'}|every_seconds must be between 10 and 31622400",
                "{'at':'tomorrow','prompt':'p'}|at must be a time (RFC 3339): \"tomorrow\"",
                "{'cron_expr':'@daily','prompt':'p','missed':'never'}|missed must be one of skip, once, all",
                "{'cron_expr':'@daily','prompt':'p','overlap':'both'}|overlap must be one of skip, queue, replace",
                "{'cron_expr':'@daily','prompt':'p','missed_window_seconds':604801}|missed_window_seconds must be between 0 and 604800",
                "{'every_seconds':60,'prompt':'p','jitter_seconds':60}|jitter_seconds must be less than every_seconds"
            })
    void what_is_wrong_is_said(String said, String error) {
        assertThatThrownBy(() -> read(said)).hasMessage(error);
    }

    @Test
    void a_change_leaves_the_rest_and_one_way_to_say_when_replaces_another() {
        var spec = read("{'name':'n','every_seconds':600,'prompt':'p','overlap':'queue'}");

        var changed = spec.with(json("{'cron_expr':'@hourly','enabled':false,'prompt':null}"));

        assertThat(changed.expression()).isEqualTo("@hourly");
        assertThat(changed.with(json("{'every_seconds':60}")).expression()).isEqualTo("@every 60s");
        assertThat(changed.enabled()).isFalse();
        assertThat(changed.prompt()).isEqualTo("p");
        assertThat(changed.overlap()).isEqualTo(OverlapPolicy.QUEUE);
    }

    private static ScheduleSpec read(String said) {
        return ScheduleSpec.of(json(said));
    }

    private static ObjectNode json(String said) {
        return (ObjectNode) Json.stored(said.replace('\'', '"'));
    }
}
