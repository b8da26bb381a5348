-- The connected agent's name stays with what it did, since its tokens and grants don't. A delivery link keeps its message.

ALTER TABLE audit ADD COLUMN agent_name VARCHAR(100) NULL COMMENT 'the connected agent that did it for the actor' AFTER token_id;

ALTER TABLE version ADD COLUMN agent_name VARCHAR(100) NULL COMMENT 'its name' AFTER grant_id;

UPDATE version v JOIN agent_grant g ON g.id = v.grant_id SET v.agent_name = g.name;

ALTER TABLE delivery_link ADD COLUMN message VARCHAR(2000) NULL AFTER recipient;
