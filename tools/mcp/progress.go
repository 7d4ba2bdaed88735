package mcp

import (
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
)

// follow registers who hears of a call's progress.
func (c *conn) follow(report func(string)) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens++
	token := c.tap.prefix + strconv.FormatInt(c.tokens, 10)
	if report != nil {
		c.progress[token] = report
	}
	return token
}

func (c *conn) unfollow(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.progress, token)
}

// progressed passes a server's progress on. It runs on the connection's read
// loop, so it must not wait.
func (c *conn) progressed(n mcp.JSONRPCNotification) {
	token, _ := n.Params.AdditionalFields["progressToken"].(string)
	c.mu.Lock()
	report := c.progress[token]
	c.mu.Unlock()
	if report == nil {
		return
	}
	text, _ := n.Params.AdditionalFields["message"].(string)
	if done, ok := n.Params.AdditionalFields["progress"].(float64); ok {
		counted := strconv.FormatFloat(done, 'f', -1, 64)
		if total, ok := n.Params.AdditionalFields["total"].(float64); ok {
			counted += "/" + strconv.FormatFloat(total, 'f', -1, 64)
		}
		if text == "" {
			text = counted
		} else {
			text = counted + " " + text
		}
	}
	report(text)
}
