package ai.molecule.events.inbox;

import java.util.List;

/** The kinds of things that wait, as clients know them. */
public final class InboxKinds {

    public static final List<String> ALL =
            InboxSource.ALL.stream().map(InboxSource::kind).toList();

    private InboxKinds() {}
}
