-- Run once, by the image of PostgreSQL, when it makes its folder. The platform is no superuser: a mistake in its SQL reads no file and runs
-- no program. The server's own role, which makes it, keeps no password and so comes in only from within the container.
\getenv password POSTGRES_PASSWORD
CREATE ROLE molecule LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE molecule OWNER molecule;
-- What each service's statements run as: they reach its own tables and no other service's.
CREATE ROLE molecule_registry NOLOGIN;
CREATE ROLE molecule_proxy NOLOGIN;
CREATE ROLE molecule_events NOLOGIN;
CREATE ROLE molecule_provisioner NOLOGIN;
GRANT molecule_registry, molecule_proxy, molecule_events, molecule_provisioner TO molecule;
ALTER ROLE postgres PASSWORD NULL;
