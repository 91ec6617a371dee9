-- The body of a message as the published SDKs write it.
return function(number)
  return string.format('{"jsonrpc":"2.0","id":"%d","method":"message/send","params":{"message":{"kind":"message","role":"user",'
    .. '"messageId":"5f0c9d6e-2f4b-4c43-9f0b-%012d","parts":[{"kind":"text","text":"how far are you with the report?"}]}}}',
    number, number)
end
