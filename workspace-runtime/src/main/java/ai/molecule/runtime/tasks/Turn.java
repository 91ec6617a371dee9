package ai.molecule.runtime.tasks;

/**
 * A message of a task's sender and what it was asked in return.
 *
 * @param messageJson the message, as compact JSON
 * @param question empty when nothing was asked, or not yet
 */
public record Turn(String messageJson, String question) {

    Turn answeredWith(String asked) {
        return new Turn(messageJson, asked);
    }
}
