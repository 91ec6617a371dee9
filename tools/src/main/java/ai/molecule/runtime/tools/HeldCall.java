package ai.molecule.runtime.tools;

import java.util.Optional;
import java.util.UUID;

/** A call that whoever makes it waits for, by a program that works on a task. What waits already is found by its words and not asked again. */
public final class HeldCall implements Toolbox.Call {

    private final String taskId;
    private final String key = UUID.randomUUID().toString();
    private String note = "";

    public HeldCall(String taskId) {
        this.taskId = taskId;
    }

    @Override
    public String taskId() {
        return taskId;
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public Optional<String> noted() {
        return Optional.of(note);
    }

    @Override
    public boolean note(String text) {
        note = text;
        return true;
    }
}
