-- What an agent's programs show at the model door in the place of a provider's key. It is made from the token and opens nothing else.
ALTER TABLE workspace_tokens ADD COLUMN model_key_hash bytea;

CREATE UNIQUE INDEX workspace_tokens_of_model_key ON workspace_tokens (model_key_hash) WHERE model_key_hash IS NOT NULL;
