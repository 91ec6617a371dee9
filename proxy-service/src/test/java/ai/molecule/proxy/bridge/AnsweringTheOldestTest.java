package ai.molecule.proxy.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;

/** The oldest clients read the text of the first part, and nothing else. */
class AnsweringTheOldestTest {

    @Test
    void they_read_the_question_before_what_was_said_on_the_way_to_it() {
        var answer = told("{'state':'input-required','message':{'parts':[{'kind':'text','text':'Which?'}]}}");

        assertThat(answer.at("/parts/0/text").asText()).isEqualTo("Which?\nThe invoice is due.");
        assertThat(answer.at("/metadata/task_state").asText()).isEqualTo("input-required");
    }

    @Test
    void they_read_an_answer_in_pieces_whole_and_files_stand_behind_the_words() {
        var answer = told("{'state':'completed','message':{'parts':[{'kind':'text','text':'done'}]}}");

        assertThat(answer.path("parts"))
                .hasToString(
                        "[{\"kind\":\"text\",\"text\":\"The invoice is due.\"},{\"kind\":\"file\",\"file\":{\"uri\":\"u\"}}]");
    }

    private static JsonNode told(String status) {
        return OldestAnswer.of(Json.stored(("{'kind':'task','id':'t','status':" + status
                        + ",'artifacts':[{'parts':[{'kind':'text','text':'The invoice '},"
                        + "{'kind':'file','file':{'uri':'u'}},{'kind':'text','text':'is due.'}]}]}")
                .replace('\'', '"')));
    }
}
