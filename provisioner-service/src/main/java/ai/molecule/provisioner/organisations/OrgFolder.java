package ai.molecule.provisioner.organisations;

import ai.molecule.provisioner.backend.FilePath;
import java.util.List;
import java.util.Optional;

/** The folder an organisation is written down in: {@code org.yaml} and what it names. Nothing outside it is ever read. */
interface OrgFolder {

    /** The most that one file may hold. */
    int FILE_MAX_BYTES = 1024 * 1024;

    /** The most files below one folder. */
    int FILES_MAX = 500;

    /** A file; empty when there is none. Fails with INVALID for one that is too large or lies, through a link, elsewhere. */
    Optional<byte[]> read(FilePath file);

    boolean isFolder(FilePath folder);

    /** Every file below a folder, in path order; links are left out. Fails with INVALID for more than {@link #FILES_MAX}. */
    List<FilePath> filesBelow(FilePath folder);
}
